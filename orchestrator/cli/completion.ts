import type { Command, Option } from 'commander';
import { quote } from '../../base/shell.ts';
import { printPart } from './print.ts';
import { commandsOf } from './register/add-command.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** `command` is one of the program whose commands are completed. */
export async function printCompletion(shell: Shell, _: object, command: Command): Promise<void> {
  printPart(completionText(command.parent ?? command, shell));
}

/** What a shell needs to complete commands and options, from the commands themselves; file names complete everywhere else. */
export function completionText(program: Command, shell: Shell): string {
  const nodes = commandsOf(program).flatMap(({ command, words }): Node[] => {
    const help = command.createHelp();
    const verbs = help.visibleCommands(command).filter((verb) => command.commands.includes(verb));
    const [path, options] = [words.join(' '), help.visibleOptions(command)];
    const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
    return [
      { path, verbs: verbs.map((verb) => ({ word: verb.name(), about: verb.description() })), options, choices },
      ...options.flatMap(({ long, argChoices }) =>
        argChoices ? [{ path: `${path} ${long}`, verbs: [], options: [], choices: argChoices }] : [],
      ),
    ];
  });
  switch (shell) {
    case 'bash':
      return inShell(nodes);
    case 'zsh':
      return `#compdef predict\nautoload -U +X bashcompinit && bashcompinit\n${inShell(nodes)}`;
    case 'fish':
      return inFish(nodes);
  }
}

interface Node {
  readonly path: string;
  readonly verbs: readonly { readonly word: string; readonly about: string }[];
  readonly options: readonly Option[];
  readonly choices: readonly string[];
}

/** The words of the command so far that are verbs, or options with choices, decide what may come next. */
function inShell(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, verbs, options, choices }) => {
    const next = [...verbs.map(({ word }) => word), ...choices].join(' ');
    const flags = options.flatMap(({ long, short }) => long ?? short ?? []).join(' ');
    return `    ${quote(path)}) next=${quote(next)} flags=${quote(flags)} ;;`;
  });
  const paths = nodes.map(({ path }) => quote(path)).join('|');
  return `_predict() {
  local path='' word try next='' flags='' current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    try="\${path:+$path }$word"
    case "$try" in ${paths}) path="$try" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$next" -- "$current")) ;;
  esac
}
complete -o default -o bashdefault -F _predict predict
`;
}

function inFish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, verbs, options, choices }) => {
    const here = `-n ${fishQuote(`__predict_at ${path}`.trim())}`;
    return [
      ...verbs.map(({ word, about }) => `complete -c predict -f ${here} -a ${word} -d ${fishQuote(about)}`),
      ...choices.map((choice) => `complete -c predict -f ${here} -a ${choice}`),
      ...options.flatMap(({ long, short, required, description }) => {
        if (!long) return [];
        const letter = short ? ` -s ${short.slice(1)}` : '';
        return [
          `complete -c predict ${here} -l ${long.slice(2)}${letter}${required ? ' -r' : ''} -d ${fishQuote(description)}`,
        ];
      }),
    ];
  });
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => fishQuote(path));
  return `function __predict_at
  set -l found
  for word in (commandline -opc)[2..-1]
    contains -- (string join ' ' $found $word) ${paths.join(' ')}; and set -a found $word
  end
  test "$found" = "$argv"
end
${lines.join('\n')}
`;
}

/** In fish a backslash is special inside single quotes, too. */
function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}
