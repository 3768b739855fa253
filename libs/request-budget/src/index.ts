export type { BudgetStore } from './budget-store.js';
export { InvalidBudgetError, type BudgetWindow } from './budget-window.js';
export { MemoryBudgetStore } from './memory-budget-store.js';
export { RedisBudgetStore, budgetKeys, type RedisBudgetOptions } from './redis-budget-store.js';
export {
  BudgetExhaustedError,
  BudgetUnavailableError,
  RequestBudget,
  type RequestBudgetOptions,
  type RequestPermit,
} from './request-budget.js';
