export { hashRecord, type RecordDescription, type StoredRecord } from './record.js';
export {
  RecordDamagedError,
  RecordReader,
  RecordStore,
  type PutResult,
  type RecordReaderOptions,
  type RecordStoreOptions,
  type Removal,
} from './record-store.js';
