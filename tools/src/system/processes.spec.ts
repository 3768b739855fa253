import { reserveSystemPorts, STANDARD_PORTS } from './processes.js';

it('reserves another port for each address of the system', async () => {
  const ports = await reserveSystemPorts();
  expect(Object.keys(ports)).toEqual(Object.keys(STANDARD_PORTS));
  expect(new Set(Object.values(ports)).size).toBe(Object.keys(STANDARD_PORTS).length);
  expect(Object.values(ports).every((port) => port > 0)).toBe(true);
});

it('has a standard management port 1000 above the port of each interface', () => {
  for (const name of ['token', 'reporting', 'broker', 'gateway-publisher', 'gateway-subscriber'] as const)
    expect(STANDARD_PORTS[`${name}-management`]).toBe(STANDARD_PORTS[name] + 1_000);
});
