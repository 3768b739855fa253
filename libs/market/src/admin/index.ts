export * from './bulk-records.js';
export * from './faults.js';
export * from './operator-client.js';
export * from './operator-errors.js';
export * from './records.js';
