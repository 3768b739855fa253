/*
 * Files for packages without a framework.
 */
export { syncFolder, writeFileAtomically, writeFileDurably } from './atomic-write.js';
export {
  acceptsConnections,
  FolderInUseError,
  lockFolder,
  lockSocketOf,
  withFolderLock,
  type Unlock,
} from './folder-lock.js';
export { readIfThere, readSystemFile, SYSTEM_FILE, type SystemDescription } from './system-file.js';
