/*
 * Files for packages without a framework.
 */
export { writeFileAtomically } from './atomic-write.js';
export {
  acceptsConnections,
  FolderInUseError,
  lockFolder,
  lockSocketOf,
  withFolderLock,
  type Unlock,
} from './folder-lock.js';
