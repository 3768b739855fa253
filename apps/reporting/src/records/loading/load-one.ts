import type { BulkLine } from '@ssb/market';
import type { LoadResult } from '../insert-once.js';

/** Loads a single record in a transaction of its own. @throws RecordConflictError */
export type LoadOne = (line: BulkLine) => Promise<LoadResult>;
