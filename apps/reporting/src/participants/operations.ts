import type { Operation } from './operation.js';
import { prudentialOperations } from './prudential-operations.js';
import { settlementOperations } from './settlement-operations.js';

/** The ten operations of document 000, in its order. */
export const operations: readonly Operation[] = [...prudentialOperations, ...settlementOperations];
