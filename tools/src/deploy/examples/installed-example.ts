/** An example whose packages are installed, as the tests in `test/src/examples` start it. */
export interface InstalledExample {
  readonly name: string;
  /** `service` reads the bus, `webhook` serves an address, `evidence` verifies a file and ends. */
  readonly kind: 'service' | 'webhook' | 'evidence';
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}
