// After `npm pack`.
import { restorePackage } from './restore-package.mjs';

restorePackage();
