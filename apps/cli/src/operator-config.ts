import {
  checkOperatorConfig,
  loadOperatorConfig,
  OperatorConfigError,
  type OperatorConfig,
} from '@ssb/config';
import { commandEnvironment } from './settings.js';

/**
 * Senders and sinks do not matter to the commands, so their variables may be unset.
 * @param path default: that of CONFIG_FILE
 * @throws OperatorConfigError
 */
export function readConfig(path = configPath()): OperatorConfig {
  const { config, errors } = checkOperatorConfig(path, {
    environment: commandEnvironment(),
    allowUnset: true,
  });
  if (config === undefined) throw new OperatorConfigError(path, errors);
  return config;
}

/**
 * As `readConfig`, for commands to which the senders matter: only the variables of `alerts` may be unset.
 * @throws OperatorConfigError
 */
export function readSendersConfig(path?: string): OperatorConfig {
  const variables = commandEnvironment();
  const file = path ?? (variables['CONFIG_FILE'] || DEFAULT_FILE);
  return loadOperatorConfig(file, variables, undefined, { allowUnset: 'in-alerts' });
}

const DEFAULT_FILE = 'config/bridge.yaml';

/** That of CONFIG_FILE. */
export function configPath(): string {
  return commandEnvironment()['CONFIG_FILE'] || DEFAULT_FILE;
}
