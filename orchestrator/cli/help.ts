/** Words that several commands' options share. */
export const HELP = {
  inventory: 'inventory file (docs/inventory.md)',
  hosts: 'only these hosts: node01,node[03-05]',
  json: 'print the result as JSON',
} as const;
