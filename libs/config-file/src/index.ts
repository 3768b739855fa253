export { CONFIG_METRICS, reportConfigReloads } from './config-reloads.js';
export {
  FixedConfig,
  openOperatorConfig,
  OperatorConfigFile,
  type ConfigListener,
  type ConfigSource,
  type OperatorConfigFileOptions,
} from './operator-config-file.js';
