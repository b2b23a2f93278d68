export type { Fault } from './explain-issue.ts';
export { explain, faulty, parseYaml } from './parse-yaml.ts';
export { readYaml } from './read-yaml.ts';
export { schemaKeys } from './schema-keys.ts';
export {
  countField,
  field,
  flagOf,
  namesField,
  percentField,
  rangeField,
  secondsField,
  wrongFlags,
} from './yaml-fields.ts';
