/** An example whose packages are installed, as the tests in `test/src/examples` start it. */
export interface InstalledExample {
  readonly name: string;
  /** `service` reads the bus, `webhook` serves an address. */
  readonly kind: 'service' | 'webhook';
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}
