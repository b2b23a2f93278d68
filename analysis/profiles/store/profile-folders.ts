import { join } from 'node:path';

// STORE/imports/000001/: what one import wrote, whole. docs/profiles.md describes it for users.

export const importsFolder = (store: string): string => join(store, 'imports');
export const importFolder = (store: string, number: number): string => {
  return join(importsFolder(store), String(number).padStart(NUMBER_DIGITS, '0'));
};
export const storeLockPath = (store: string): string => join(store, '.lock');
const NUMBER_DIGITS = 6;

/** A hidden folder is one that an import is still filling, or did not finish. */
export const IMPORT_NAME: RegExp = /^\d{6,15}$/;
/** What is in the folder of an import, by its parts. */
export const MANIFEST = 'import.json';
export const PROFILES = 'profiles.parquet';
export const NAMES = 'names.parquet';
export const MODES = 'modes.parquet';
export const nodesFile = (part: number): string => `nodes-${part}.parquet`;
export const recursionsFile = (part: number): string => `recursions-${part}.parquet`;
