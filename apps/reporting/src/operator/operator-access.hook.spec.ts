import { requiredPermission } from './operator-access.hook.js';

describe('the permission that a route of the operator API requires', () => {
  it.each([
    ['GET', '/operator/v1/:kind', 'MARKETRECORDS', 'R'],
    ['HEAD', '/operator/v1/:kind', 'MARKETRECORDS', 'R'],
    ['POST', '/operator/v1/:kind', 'MARKETRECORDS', 'C'],
    ['POST', '/operator/v1/records', 'MARKETRECORDS', 'C'],
    ['POST', '/operator/v1/faults', 'MARKETFAULTS', 'C'],
    ['GET', '/operator/v1/faults', 'MARKETFAULTS', 'R'],
    ['DELETE', '/operator/v1/faults/:id', 'MARKETFAULTS', 'D'],
    ['PUT', '/operator/v1/:kind', 'MARKETRECORDS', 'U'],
  ])('%s %s: %s %s', (method, route, entity, permission) => {
    expect(requiredPermission(method, route)).toEqual({ entity, permission });
  });
});
