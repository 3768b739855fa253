export type { BudgetStore } from './budget-store.js';
export type { BudgetWindow } from './domain/windows.js';
export { InvalidBudgetError } from './domain/windows.js';
export * from './errors.js';
export { MemoryBudgetStore } from './memory-store.js';
export { RedisBudgetStore, budgetKeys, type RedisBudgetOptions } from './redis-store.js';
export { RequestBudget, type RequestBudgetOptions, type RequestPermit } from './request-budget.js';
