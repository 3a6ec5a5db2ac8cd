/**
 * What a shell needs to complete a line of sluice: a few lines that ask `sluice complete` with the words so far. The words are handed over as they
 * stand and never read by the shell again, so that nothing which somebody has typed runs at a press of Tab.
 */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** Each line of an answer is a word, a tab, and what it means. Where there is none, the shell offers files. */
export const COMPLETIONS: Readonly<Record<Shell, string>> = {
  bash: `_sluice() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(sluice complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _sluice sluice
`,
  zsh: `#compdef sluice
_sluice() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(sluice complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then
    _describe sluice found
  else
    _files
  fi
}
compdef _sluice sluice
`,
  fish: `function __sluice_complete
  set --local words (commandline -opc)
  sluice complete -- $words[2..] (commandline --current-token --cut-at-cursor) 2>/dev/null
end
complete --command sluice --arguments '(__sluice_complete)'
`,
};
