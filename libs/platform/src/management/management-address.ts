import { ConfigurationError } from '../lifecycle/configuration-error.js';

/** The settings that decide where the management port of an app with an interface listens. */
export interface ManagementAddressSettings {
  readonly PORT: number;
  readonly MANAGEMENT_PORT?: number;
  readonly MANAGEMENT_HOST: string;
}

export const DEFAULT_MANAGEMENT_PORT_OFFSET = 1_000;
const MAX_PORT = 65_535;

/**
 * Where the management port listens: MANAGEMENT_PORT, or PORT + 1000, or any free port when PORT is 0.
 * @throws ConfigurationError when PORT + 1000 is not a valid port
 */
export function managementAddress({ PORT, MANAGEMENT_PORT, MANAGEMENT_HOST }: ManagementAddressSettings): {
  port: number;
  host: string;
} {
  const port = MANAGEMENT_PORT ?? (PORT === 0 ? 0 : PORT + DEFAULT_MANAGEMENT_PORT_OFFSET);
  if (port > MAX_PORT)
    throw new ConfigurationError(
      `PORT is ${PORT}, so the management port would be ${port}, but the highest port is ${MAX_PORT}. Set MANAGEMENT_PORT to a free port.`,
    );
  return { port, host: MANAGEMENT_HOST };
}
