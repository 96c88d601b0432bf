/** A mutant must not live or die by luck: here properties try the same values each time. */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_260_101 });
