import type { Command } from 'commander';
import { commandsOf } from './register/add-command.ts';

/** predict(1) in the man macros: each command with its options, then docs/commands.md (`guide`). */
export function manPage(program: Command, guide: string): string {
  const lines = [
    `.TH PREDICT 1 "" "predict ${program.version()}" "User Commands"`,
    '.SH NAME',
    'predict \\- measure a small cluster under throttled bandwidth and predict a large one',
    '.SH SYNOPSIS',
    '.B predict',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    roff(program.description()),
    '.SH COMMANDS',
    ...commandsOf(program)
      .filter(({ command, words }) => words.length > 0 && command.commands.length === 0)
      .flatMap(({ command, words }) => {
        const help = command.createHelp();
        return [
          `.SS ${roff(`${words.join(' ')} ${command.usage().replace('[options] ', '').replace('[options]', '')}`.trim())}`,
          roff(command.description()),
          ...help.visibleOptions(command).flatMap((option) => {
            return ['.TP', `.B ${roff(option.flags)}`, roff(help.optionDescription(option))];
          }),
        ];
      }),
    '.SH ENVIRONMENT',
    ...['.TP', '.B PREDICT_INVENTORY', 'The default inventory file.'],
    ...['.TP', '.B COLUMNS', 'Width of tables; that of the terminal by default.'],
    ...['.TP', '.B NO_COLOR', 'No colours on terminals.'],
    ...['.TP', '.B XDG_CACHE_HOME', 'Folder of compiled programs; ~/.cache by default.'],
    ...fromMarkdown(guide),
  ];
  return `${lines.join('\n')}\n`;
}

/** What docs/commands.md uses of Markdown: headings, lists, tables, code, and paragraphs. */
function fromMarkdown(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    if (heading !== undefined) return [`.SH ${roff(heading).toUpperCase()}`];
    if (/^\|[-|]*-\|$/.test(line)) return [];
    if (line.startsWith('| ')) return ['.br', roff(line.slice(2, -2).replaceAll(' | ', '   '))];
    if (line.startsWith('- ')) return ['.IP \\(bu 2', roff(line.slice(2))];
    if (line === '') return ['.PP'];
    return [roff(line)];
  });
}

/** A line of text: no command at its start, bold for code, links by their words. */
function roff(text: string): string {
  return text
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/`([^`]*)`/g, '\\fB$1\\fR')
    .trim()
    .replace(/^([.'])/, '\\&$1');
}
