import { checkOperatorConfig, OperatorConfigError, type OperatorConfig } from '@ssb/config';
import { environment } from './settings.js';

/**
 * Senders and sinks do not matter to the commands, so their variables may be unset.
 * @param path default: that of CONFIG_FILE
 * @throws OperatorConfigError
 */
export function readConfig(path = environment['CONFIG_FILE'] || 'config/bridge.yaml'): OperatorConfig {
  const { config, errors } = checkOperatorConfig(path, { environment, allowUnset: true });
  if (config === undefined) throw new OperatorConfigError(path, errors);
  return config;
}

/** The file of CONFIG_FILE; undefined when the variable is not set or the file has errors. */
export function readConfigOfEnvironment(): OperatorConfig | undefined {
  const path = environment['CONFIG_FILE'];
  return path ? checkOperatorConfig(path, { environment, allowUnset: true }).config : undefined;
}
