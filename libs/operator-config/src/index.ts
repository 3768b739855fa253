export type { MarginThresholds, OperatorConfig, SinkConfig } from './schema.js';
export { loadOperatorConfig, OperatorConfigError } from './load.js';
export {
  findAlertRouting,
  findMarginThresholds,
  findRoute,
  findTrustedSenders,
  matchesPattern,
  type AlertRouting,
  type Route,
  type TrustedSenders,
} from './lookup.js';
