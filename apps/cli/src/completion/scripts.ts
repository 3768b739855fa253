import { standardOutput } from '@ssb/platform/cli';

/** Without candidates, the shells complete names of files. */
const SCRIPTS = {
  bash: `_busbridge() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _busbridge busbridge
`,
  zsh: `#compdef busbridge
_busbridge() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -a candidates; else _files; fi
}
if [[ "\${funcstack[1]}" = _busbridge ]]; then _busbridge "$@"; else compdef _busbridge busbridge; fi
`,
} as const;

export function printScript(shell: keyof typeof SCRIPTS): void {
  standardOutput.writeExact(SCRIPTS[shell]);
}
