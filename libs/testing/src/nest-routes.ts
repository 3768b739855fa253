import { RequestMethod } from '@nestjs/common';

/** `get /a/:b` for every handler of the controllers of a module, from the metadata of Nest's decorators; without HEAD. */
export function listRoutes(module: object): string[] {
  const controllers = Reflect.getMetadata('controllers', module) as { prototype: Record<string, object> }[];
  return controllers.flatMap((controller) => {
    const base = Reflect.getMetadata('path', controller) as string;
    return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
      const handler = controller.prototype[name];
      const path = handler && (Reflect.getMetadata('path', handler) as string | undefined);
      if (handler === undefined || path === undefined) return [];
      const method = RequestMethod[Reflect.getMetadata('method', handler) as number]?.toLowerCase();
      if (method === undefined || method === 'head') return [];
      return [`${method} ${`/${base}/${path}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')}`];
    });
  });
}
