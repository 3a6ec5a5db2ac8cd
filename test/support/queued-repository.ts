/** The repository of runs whose heads are to land, each of which writes a file of its own. */

/** A line `do: …` of the task is done too. Red once merged: the files one and two together. */
export const QUEUED_RUNS = {
  files: {
    'agent.sh':
      'cat > prompt.tmp; id=$(basename "$PWD"); eval "$(sed -n "s/^do: //p" prompt.tmp)"; rm prompt.tmp; echo "$id" > "$id.txt"; echo wrote it\n',
  },
  config: `  own: {adapter: command, command: sh, args: [agent.sh]}
stageList: [executing, validating]
stages: { executing: { agent: own } }
validation:
  commands: ["test ! -e one -o ! -e two"]
`,
} as const;
