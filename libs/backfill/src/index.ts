export {
  countEvents,
  isFinished,
  isSameRange,
  type BackfillFailure,
  type BackfillLeftOut,
  type BackfillProgress,
  type BackfillRange,
  type BackfillRequest,
  type ListedEvent,
} from './backfill.js';
export { BackfillStore, MAX_LISTED_EVENTS, type BackfillStoreOptions } from './backfill-store.js';
