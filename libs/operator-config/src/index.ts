export type { MarginThresholds, OperatorConfig, SinkConfig } from './schema.js';
export { loadOperatorConfig, OperatorConfigError } from './load.js';
export {
  alertDecision,
  marginThresholds,
  matches,
  routeOf,
  trustedSenders,
  type AlertDecision,
  type Route,
  type TrustedSenders,
} from './lookup.js';
