/** Opens images of filters of any type: the package that knows each type. */
package io.winnow.image;
