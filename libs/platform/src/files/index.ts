/*
 * Files for packages without a framework.
 */
export { writeFileAtomically } from './atomic-write.js';
export { FolderInUseError, isFolderLocked, lockFolder, withFolderLock, type Unlock } from './folder-lock.js';
