import { isAllowedOrigin } from './request-origin.js';

const allowed = ['https://console.example'];

describe('the header Origin of an upgrade', () => {
  it.each([
    [undefined, 'gateway:4011', 'http'],
    ['http://gateway:4011', 'gateway:4011', 'http'],
    ['http://gateway', 'gateway:80', 'http'],
    ['https://gateway', 'gateway', 'https'],
    ['https://gateway:443', 'GATEWAY', 'https'],
    ['http://[::1]:4011', '[::1]:4011', 'http'],
    ['https://console.example', 'gateway:4011', 'http'],
  ] as const)('%s may open a WebSocket at %s over %s', (origin, host, scheme) => {
    expect(isAllowedOrigin(origin, { host, scheme, allowed })).toBe(true);
  });

  it.each([
    ['http://evil.example', 'gateway:4011', 'http'],
    ['http://gateway:4012', 'gateway:4011', 'http'],
    ['https://gateway:4011', 'gateway:4011', 'http'],
    ['http://gateway:4011', 'gateway:4011', 'https'],
    ['http://gateway:4011@evil.example', 'gateway:4011', 'http'],
    ['http://console.example', 'gateway:4011', 'http'],
    ['https://console.example.evil.example', 'gateway:4011', 'http'],
    ['http://gateway:4011, http://evil.example', 'gateway:4011', 'http'],
    ['null', 'gateway:4011', 'http'],
    ['file://', 'gateway:4011', 'http'],
    ['', 'gateway:4011', 'http'],
    ['gateway:4011', 'gateway:4011', 'http'],
    ['http://', undefined, 'http'],
  ] as const)('%s may not open one at %s over %s', (origin, host, scheme) => {
    expect(isAllowedOrigin(origin, { host, scheme, allowed })).toBe(false);
  });
});
