#!/bin/sh
# Compiles the driver's Java class into lib/graphalytics-platforms-predict-1-default.jar.
# compile-benchmark.sh [CORE.jar]...: jars that hold the harness (any driver's default jar does); they are copied to lib/.
# Without arguments those in lib/ are used. Needs a JDK of version 8 or newer.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
name=graphalytics-platforms-predict-1-default.jar
command -v javac >/dev/null || { echo 'javac is missing: install a JDK, such as default-jdk-headless.' >&2; exit 1; }
mkdir -p "$root/lib"
for jar do cp -- "$jar" "$root/lib/"; done

classpath=''
for jar in "$root"/lib/*.jar; do
  if [ -f "$jar" ] && [ "${jar##*/}" != "$name" ]; then classpath=$classpath:$jar; fi
done
[ -n "$classpath" ] || { echo "lib/ has no jar of the harness: give one, such as another driver's default jar." >&2; exit 1; }

classes=$(mktemp -d)
trap 'rm -rf -- "$classes"' EXIT
javac -nowarn -encoding UTF-8 -cp "${classpath#:}" -d "$classes" \
  "$root/src/main/java/science/atlarge/graphalytics/predict/PredictPlatform.java"
# Where the harness looks for the name of its platform.
mkdir -p "$classes/project/build"
cp "$root/src/main/platform-build.properties" "$classes/project/build/platform.properties"
if command -v jar >/dev/null; then
  jar cf "$root/lib/$name" -C "$classes" .
else
  (cd "$classes" && zip -qr "$root/lib/$name" .)
fi
echo "lib/$name is made."
