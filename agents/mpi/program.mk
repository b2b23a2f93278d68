# How a C program of ours under MPI is built from its folder and this one: make OUT=/path/predict-NAME BUILD=/path/objects
MPICC ?= mpicc
# The last word: a folder above may have a blank in its name.
NAME := $(lastword $(notdir $(CURDIR)))
OUT ?= ./predict-$(NAME)
BUILD ?= ./build
CFLAGS ?= -O3
# Threads where the compiler has them; their library goes into the program, for other hosts may lack it.
OPENMP_LIBRARY = -l:libgomp.a -ldl -Wl,--as-needed
OPENMP := $(shell echo 'int omp_get_max_threads(void); int main(void) { return omp_get_max_threads(); }' | \
  $(MPICC) -fopenmp -x c - -o /dev/null $(OPENMP_LIBRARY) >/dev/null 2>&1 && echo -fopenmp)
STRICT = -std=c11 -Wall -Wextra $(or $(OPENMP),-Wno-unknown-pragmas)
# Objects keep their folder: two files may have one name.
SOURCES = $(sort $(wildcard ../$(NAME)/*.c ../mpi/*.c))
HEADERS = $(wildcard *.h ../mpi/*.h)
OBJECTS = $(SOURCES:../%.c=$(BUILD)/%.o)

$(OUT): $(OBJECTS)
	@mkdir -p $(dir $@)
	$(MPICC) $(STRICT) $(CFLAGS) $(OBJECTS) -o $@ -lm $(if $(OPENMP),$(OPENMP_LIBRARY)) $(LDFLAGS)

$(BUILD)/%.o: ../%.c $(HEADERS) Makefile ../mpi/program.mk
	@mkdir -p $(dir $@)
	$(MPICC) $(STRICT) $(CFLAGS) -I../mpi -c $< -o $@

clean:
	rm -rf $(BUILD) $(OUT)

.PHONY: clean
