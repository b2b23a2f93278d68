export { type Fault, parseYaml } from './parse-yaml.ts';
export { readYaml } from './read-yaml.ts';
