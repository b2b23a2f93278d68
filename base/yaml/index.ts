export { type Fault, parseYaml } from './parse-yaml.ts';
export { type ReadYamlOptions, readYaml, type YamlFile } from './read-yaml.ts';
