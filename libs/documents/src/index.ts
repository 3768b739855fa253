export {
  MEDIA_TYPES,
  nameDocument,
  type DocumentKey,
  type DocumentKind,
  type DocumentRecord,
} from './document.js';
export {
  DocumentStoreError,
  MAX_REMOVED,
  TooManyDocumentsError,
  type DocumentFilter,
  type DocumentStore,
  type DocumentUsage,
  type OpenedDocument,
  type PutResult,
} from './document-store.js';
export { FolderStorage } from './objects/folder-storage.js';
export { ObjectDocumentStore } from './objects/object-document-store.js';
export { S3Storage, type S3Credentials, type S3StorageOptions } from './objects/s3-storage.js';
export { PostgresDocumentStore } from './postgres-document-store.js';
export {
  documentStoreSettings,
  documentWriterSettings,
  openDocumentStore,
  type DocumentStoreDependencies,
  type DocumentStoreSettings,
} from './settings.js';
