export * from './bulk.js';
export * from './envelopes.js';
export * from './faults.js';
export * from './operator-client.js';
