export { nothingListensOn } from './nothing-listens-on.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
export { waitFor } from './wait-for.js';
