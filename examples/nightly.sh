#!/bin/sh
# Runs a list of tasks in one repository every night at two, by Temporal's own tool: sluice has no scheduler of its own.
#
#     sluice init                                     # once, in the repository
#     eval "$(sluice up)"                             # tells this shell the address of the local engine and puts `temporal` on its PATH
#     examples/nightly.sh ~/my/repository tasks.txt   # a task a line
#     temporal schedule trigger --schedule-id nightly # now, to try it
set -eu
repository=$(cd "$1" && pwd -P)
tasks=$2

input=$(node -e '
  const [repo, file] = process.argv.slice(1);
  const lines = require("node:fs").readFileSync(file, "utf8").split("\n").filter((line) => line.trim() !== "");
  console.log(JSON.stringify({ defaults: { repo }, concurrency: 2, tasks: lines.map((task) => ({ task })) }));
' "$repository" "$tasks")

temporal schedule create --schedule-id nightly --cron '0 2 * * *' \
  --type batch --task-queue sluice --workflow-id batch:nightly --input "$input"
