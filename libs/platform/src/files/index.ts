/*
 * Files for packages without a framework.
 */
export { writeFileAtomically } from './atomic-write.js';
export { FolderInUseError, lockFolder, type Unlock } from './folder-lock.js';
