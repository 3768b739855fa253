/** The processes of a whole system, in the order in which they start. */
export const PROCESSES = [
  'token',
  'reporting',
  'broker',
  'gateway-publisher',
  'gateway-subscriber',
  'subscriber',
  'bus-publisher',
  'poller',
  'simulator',
] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** TCP ports on loopback. The operator's door is the reporting API's second port, and `token-admin` the token service's. */
export type Ports = Readonly<Record<ProcessName | 'operator' | 'token-admin', number>>;

export const STANDARD_PORTS: Ports = {
  token: 4001,
  reporting: 4002,
  broker: 4003,
  operator: 4004,
  simulator: 4005,
  'token-admin': 4006,
  'gateway-publisher': 4011,
  'gateway-subscriber': 4012,
  poller: 4021,
  'bus-publisher': 4022,
  subscriber: 4023,
};

/** Folder under `apps/` of each process. */
export const APP_OF: Readonly<Record<ProcessName, string>> = {
  token: 'token',
  reporting: 'reporting',
  broker: 'broker',
  'gateway-publisher': 'gateway',
  'gateway-subscriber': 'gateway',
  subscriber: 'subscriber',
  'bus-publisher': 'bus-publisher',
  poller: 'poller',
  simulator: 'simulator',
};
