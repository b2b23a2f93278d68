export { type ImportChoice, type ImportedProfile, importProfiles } from './import-profiles.ts';
export { listStore, readStore, type StoreFilter, type StoreSelection } from './read-store.ts';
export { storeTables } from './sql.ts';
export type { StoredFacts, StoredProfile } from './stored-profile.ts';
export { addToStore } from './write-store.ts';
