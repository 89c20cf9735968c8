/** Common parts of building any filter: the collected hashes, and the scratch memory of a build. */
package io.winnow.build;
