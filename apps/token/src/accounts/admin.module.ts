import type { DynamicModule } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';
import { AccountsController } from './accounts.controller.js';
import { ADMIN_SECRET, AdminGuard } from './admin.guard.js';

class AdminModule {}

/** The admin door, a port of its own. */
export function adminModule(accounts: AccountsService, secret: Buffer): DynamicModule {
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
