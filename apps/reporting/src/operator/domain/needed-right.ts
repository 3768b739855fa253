import { TROUBLES_PATH } from '@ssb/market';
import type { Permission } from '../../domain/scope.js';

/** What a token must hold, for the participant identifier OPERATOR, at an address of the operator's door. */
export interface Right {
  readonly entity: 'MARKETRECORDS' | 'MARKETTROUBLE';
  readonly permission: Permission;
}

/**
 * Which right an address needs (document 001, Scopes 3 and 8). The address is the one that the route was declared with, not the one that was sent: the
 * latter can be spelt in many ways.
 */
export function neededRight(method: string, route: string): Right {
  const entity =
    route === TROUBLES_PATH || route.startsWith(`${TROUBLES_PATH}/`) ? 'MARKETTROUBLE' : 'MARKETRECORDS';
  return { entity, permission: permissionOf(method) };
}

/** A method that we do not know needs more than anybody would give for reading. */
function permissionOf(method: string): Permission {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'R';
    case 'POST':
      return 'C';
    case 'DELETE':
      return 'D';
    default:
      return 'U';
  }
}
