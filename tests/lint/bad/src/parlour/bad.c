// A room that is not in the house. refuse: rooms
