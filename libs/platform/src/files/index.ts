/*
 * Files for packages without a framework.
 */
export { writeFileAtomically } from './atomic-write.js';
export { FolderInUseError, lockFolder, withFolderLock, type Unlock } from './folder-lock.js';
