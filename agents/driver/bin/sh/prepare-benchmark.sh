# Sourced by the harness's bin/sh/run-benchmark.sh in the distribution folder: says which jar is the driver.
# shellcheck shell=sh
if [ ! -f "${config:-}/platform.properties" ]; then
  echo "The configuration folder '${config:-}' has no platform.properties: copy config-template to config." >&2
  exit 1
fi
LIBRARY_JAR=''
for jar in lib/graphalytics-*default*.jar lib/graphalytics-platforms-predict-*default*.jar; do
  if [ -f "$jar" ]; then LIBRARY_JAR=$jar; fi
done
if [ -z "$LIBRARY_JAR" ]; then
  echo 'There is no lib/graphalytics-*default*.jar: run bin/sh/compile-benchmark.sh first.' >&2
  exit 1
fi
# The jars that the driver was compiled against hold the harness itself.
platform_classpath=''
for jar in lib/*.jar; do
  if [ "$jar" != "$LIBRARY_JAR" ] && [ -f "$jar" ]; then platform_classpath=$platform_classpath:$PWD/$jar; fi
done
platform_classpath=${platform_classpath#:}
export LIBRARY_JAR platform_classpath
