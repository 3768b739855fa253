export { CONFIG_METRICS, reportConfigReloads } from './config-reloads.js';
export { createFormerFaultsTask, endFormerFaults, FORMER_FAULTS_INTERVAL_MS } from './former-faults.js';
export {
  FixedConfig,
  openOperatorConfig,
  OperatorConfigFile,
  type ConfigListener,
  type ConfigSource,
  type OperatorConfigFileOptions,
} from './operator-config-file.js';
