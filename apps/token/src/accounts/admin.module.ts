import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigurationError, readSecretFile } from '@ssb/platform';
import { AccountsController } from './accounts.controller.js';
import { AccountsService } from './accounts.service.js';
import { ADMIN_SECRET, AdminGuard } from './admin.guard.js';

/** The admin API, which has a port of its own. */
@Module({})
export class AdminModule {
  /**
   * @param accounts the service of the token module, so that both share one database pool
   * @throws ConfigurationError if the secret cannot be sent in a header
   */
  static async register(accounts: AccountsService, secretFile: string): Promise<DynamicModule> {
    const secret = await readSecretFile(secretFile);
    if (!/^[\x20-\x7e]+$/.test(secret.toString()))
      throw new ConfigurationError('The secret of ADMIN_SECRET_FILE must be printable ASCII on one line.');
    return {
      module: AdminModule,
      controllers: [AccountsController],
      providers: [
        { provide: AccountsService, useValue: accounts },
        { provide: ADMIN_SECRET, useValue: secret },
        AdminGuard,
      ],
    };
  }
}
