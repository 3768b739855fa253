export * from './verify.js';
