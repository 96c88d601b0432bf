/** Copies the full transcript just before a client compacts its context. Needs no other package. @module */
export {
  type KnownSettings,
  refuseUnknownSettings,
  UnknownSettingError,
} from '../../../core/settings/refuse-unknown-settings';
export type { Logger } from '../logger';
export {
  type ArchiveIndex,
  ArchiveIndexError,
  indexFile,
  noteUpload,
  readArchiveIndex,
} from './archive-index';
export { archiveFolder, repoKey } from './archive-names';
export type {
  ArchiveDestination,
  ArchiveEntry,
  ArchiveNote,
  ArchiveSession,
  ArchiveState,
  ArchiveVersion,
  ServerNote,
  UploadState,
} from './archive-types';
export { type ArchiveFilter, type ListedArchive, listArchives } from './list-archives';
export {
  createPreCompactHook,
  type PreCompactHook,
  type PreCompactHookOptions,
  preCompactHooks,
} from './precompact-hook';
export { type ArchiveCheck, verifyArchive } from './verify-archive';
