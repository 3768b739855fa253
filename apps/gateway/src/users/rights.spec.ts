import { getRequiredRight } from './rights.js';

describe('the right that an address requires', () => {
  it.each([
    ['/api/v1/config/identity', 'config'],
    ['/api/v1/config/enrol', 'config'],
    ['/api/v1/message', 'messages'],
    ['/api/v1/channels', 'messages'],
    ['/api/v1/verifysignature', 'messages'],
    ['/api/v1/configuration', 'messages'],
    ['/api/v1/docs/rest.yaml', undefined],
    ['/api/v1/docs/ws.yaml', undefined],
    ['/api/health', undefined],
  ])('%s: %s', (path, right) => {
    expect(getRequiredRight(path)).toBe(right);
  });
});
