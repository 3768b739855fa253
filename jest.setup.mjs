import { jest } from '@jest/globals';

// A test waits for its condition and ends with it; this bound only says when to give up, also on a machine with much else to do.
jest.setTimeout(180_000);
