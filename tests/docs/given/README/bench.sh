#!/bin/sh
# a latency for three arguments: threads, megabytes of cache, garbage collector
[ "$3" = zgc ] && pause=0 || pause=3
echo "$1 $2 $pause" | awk '{ print 20 + ($1 - 24) ^ 2 / 50 + sqrt(($2 - 512) ^ 2) / 200 + $3 }'
